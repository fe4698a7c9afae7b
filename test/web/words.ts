/** Text with the word frequencies of natural language (Zipf), so that gzip, readers and near-duplicate hashes meet the usual. */
import { type Random, random } from "./random.ts";

const COMMON =
  "the of and to in a is that for it as was with be by on not he his but at are this have from or had an they which one you were all her she there would their we him been has when who will no more if out so up said what its about than into them can only other time new some could these two may first then do any like my now over such our man me even most made after also did many off before must well back through years where much your way down should because long each just state those people too mr how little good world make very year still see work such life know".split(
    " ",
  );
const ONSETS = "b bl br c ch cl d dr f fl g gl gr h j k l m n p pl pr qu r s sc sh sl sp st t th tr v w".split(" ");
const VOWELS = "a e i o u ai ea ee ie oo ou".split(" ");
const CODAS = ["", "", "l", "m", "n", "nd", "ng", "nt", "r", "rk", "s", "st", "t", "ck"];

const RARE = 4000;
const TOPICS = 64;
const TOPIC_WORDS = 96;
const SLOTS = 1 << 13;

export interface Vocabulary {
  /** A word of the language at large. */
  any(from: Random): string;
  /** A word of one subject: pages of a section share it, so that texts differ as real ones do. */
  about(topic: number, from: Random): string;
  sentence(topic: number, from: Random): string;
}

function coin(from: Random): string {
  let word = "";
  for (let syllables = from.int(0, 2); syllables >= 0; syllables--)
    word += from.pick(ONSETS) + from.pick(VOWELS) + (syllables === 0 || from.chance(0.3) ? from.pick(CODAS) : "");
  return word;
}

export function vocabulary(seed: number): Vocabulary {
  const coiner = random(seed, "words");
  const words = [...new Set([...COMMON, ...Array.from({ length: RARE }, () => coin(coiner))])];
  // A table of slots filled in proportion to 1/rank makes a Zipf draw one look-up.
  const total = words.reduce((sum, _, rank) => sum + 1 / (rank + 2.7), 0);
  const slots: string[] = [];
  for (let rank = 0; rank < words.length; rank++)
    for (let share = (SLOTS / total / (rank + 2.7)) | 0; share >= 0 && slots.length < SLOTS; share--)
      slots.push(words[rank]!);
  const topics = Array.from({ length: TOPICS }, (_, topic) => {
    const chooser = random(seed, `topic ${topic}`);
    return Array.from({ length: TOPIC_WORDS }, () => words[chooser.int(COMMON.length, words.length - 1)]!);
  });
  const any = (from: Random): string => slots[from.word() % slots.length]!;
  const about = (topic: number, from: Random): string => {
    const list = topics[topic % TOPICS]!;
    return list[Math.min(from.word() % TOPIC_WORDS, from.word() % TOPIC_WORDS)]!;
  };
  return {
    any,
    about,
    sentence(topic, from) {
      const length = from.int(6, 22);
      let text = "";
      for (let i = 0; i < length; i++) {
        const word = from.word() % 10 < 3 ? about(topic, from) : any(from);
        if (i === 0) text = word[0]!.toUpperCase() + word.slice(1);
        else text += (from.word() % 16 === 0 ? ", " : " ") + word;
      }
      return `${text}.`;
    },
  };
}
