/** A page of a list ends early where its rows' large columns exceed this together; one row is always in it. */
export const PAGE_BYTES = 2 * 1024 * 1024;
/** Skipped rows are read all the same; up to this many it is a matter of a few milliseconds. */
export const CHEAP_SKIP = 1_000;
/** How many searches may wait for each connection: of one person, and of all. Others are refused at once. */
export const WAITING_SEARCHES = { ofOneUser: 2, ofAll: 4 };
