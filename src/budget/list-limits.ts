/** Maximum size of the rows of a page, in bytes of the reply. A larger page ends early, but always contains one row. */
export const PAGE_BYTES = 2 * 1024 * 1024;
/** Bytes added for each row of a page, for names of fields, ids and times. */
export const BYTES_OF_A_ROW = 512;
/** Maximum number of skipped rows of a cheap read. They are read too; this many take a few milliseconds. */
export const CHEAP_SKIP = 1_000;
/**
 * Maximum number of waiting searches for each connection: of one person, and of all. Further ones are refused at once.
 */
export const WAITING_SEARCHES = { ofOneUser: 2, ofAll: 4 };
/** Default size of a page: of resources, and of records that accumulate. */
export const USUAL_PAGE = { ofResources: 50, ofHistory: 100 } as const;
