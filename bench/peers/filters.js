/** The filters and the SimHash of npm that bench/kernel.ts measures beside ours. */
export { BloomFilter as BloomFilters } from "bloom-filters";
export { BloomFilter as Bloomfilter } from "bloomfilter";
export { SimHash } from "simhash-js";
