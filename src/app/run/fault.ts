/** Where `npm run torture` has this process killed. Nobody else sets the variable, and without it nothing is done. */

/** `POINT:N`: dies, as by kill -9, when it passes the point for the N-th time. */
const VARIABLE = "TRAWL_TORTURE_KILL_AT";

/** Called with the name of each step that a kill may fall behind; see the callers for the names. */
export type Fault = (point: string) => void;

export function faultOf(env: Readonly<Record<string, string | undefined>>): Fault | undefined {
  const [, deadly, times] = /^(.+):(\d+)$/.exec(env[VARIABLE] ?? "") ?? [];
  if (deadly === undefined) return undefined;
  let left = Number(times);
  return (point) => {
    if (point === deadly && --left === 0) process.kill(process.pid, "SIGKILL");
  };
}
