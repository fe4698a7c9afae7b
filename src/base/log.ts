/** What the program may say while it runs. Structured: an event name and its facts. pino fits; so does a test's array. */
export interface Log {
  debug(facts: object, event: string): void;
  info(facts: object, event: string): void;
  warn(facts: object, event: string): void;
  error(facts: object, event: string): void;
}

export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };
