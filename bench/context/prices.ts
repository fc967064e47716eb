/** Per char, in units of a plain char of input. */
export const CACHED_READ_PRICE = 0.1;
export const CACHE_WRITE_PRICE = 1.25;
export const SUMMARY_INPUT_PRICE = 1;
export const SUMMARY_OUTPUT_PRICE = 5;
