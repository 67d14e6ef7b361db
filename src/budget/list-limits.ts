/** A page of a list ends early where its rows exceed this together, as they are sent; one row is always in it. */
export const PAGE_BYTES = 2 * 1024 * 1024;
/** Counted for each row of a page besides what is weighed: names of fields, ids and times. */
export const BYTES_OF_A_ROW = 512;
/** Skipped rows are read all the same; up to this many it is a matter of a few milliseconds. */
export const CHEAP_SKIP = 1_000;
/** How many searches may wait for each connection: of one person, and of all. Others are refused at once. */
export const WAITING_SEARCHES = { ofOneUser: 2, ofAll: 4 };
/** Size of a page where a request names none: of resources, and of records that accumulate. */
export const USUAL_PAGE = { ofResources: 50, ofHistory: 100 } as const;
