/**
 * The limits of what one request may cost, with the reasons. `MAX_BODY_BYTES` is a setting; these are not, because no caller who means well
 * comes near them. Figures in comments were measured on two cores that other programs used as well.
 */

// Content of a body. It is counted in the bytes, before anything is built from them.

/** Levels of arrays and objects. Code that recurses over a body must never exhaust the stack. */
export const MAXIMUM_DEPTH = 200;
/** Keys of one object. A configuration of 256 KiB in which each key has two letters has 37,000. */
export const MAXIMUM_KEYS = 50_000;
/** Elements of one array. A configuration of 256 KiB that is one array of digits has 131,000. */
export const MAXIMUM_ELEMENTS = 150_000;
/**
 * Keys and elements of a body together. A thousand log entries that fill 1 MiB with tiny metadata have 130,000. A body
 * of 1 MiB could hold 500,000, and building those takes a third of a second.
 */
export const MAXIMUM_VALUES = 200_000;

// Content of a body in Protocol Buffers, counted in the bytes, too.

/** Levels of messages in messages: the limit at which the library stops reading. */
export const MAXIMUM_MESSAGE_DEPTH = 100;
/**
 * Messages within the message, which take 1 µs each to build; 1 MiB has room for 500,000. `MAXIMUM_VALUES` lets as many
 * objects through in JSON. A thousand log records with 49 attributes each have 100,000.
 */
export const MAXIMUM_PARTS = 100_000;
/** Points of an export of metrics, in either encoding: to name and to store 10,000 takes 60 ms. */
export const MAXIMUM_DATA_POINTS = 10_000;

// Bodies that are still arriving. How long they may take is in connection-limits.ts.

/**
 * Bytes of all of them together, for each instance: 64 bodies of the largest size, which is a burst of full log batches. Past it
 * large bodies are refused, past twice as many all.
 */
export const MAXIMUM_HALF_READ_BYTES = 64 * 1024 * 1024;
/** A body that has not brought more bytes than this is small. A heartbeat with 100 reports has 10 KiB. */
export const SMALL_BODY_BYTES = 16 * 1024;

// Answers.

/** Messages of a 422, the last of which may say how many more there are. A thousand bad log entries break 2,000 rules. */
export const MAXIMUM_MESSAGES = 50;
/** Characters of one message. It may name a property, and the caller chooses how long that name is. */
export const MAXIMUM_MESSAGE_LENGTH = 500;
