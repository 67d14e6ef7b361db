/**
 * Limits of the cost of one request, with the reasons. `MAX_BODY_BYTES` is a setting; these are not, because no
 * ordinary request comes near them. Figures in comments were measured on two cores that other programs used as well.
 */

// Content of a body. It is counted in the bytes, before any value is built.

/** Maximum depth of arrays and objects. Code that recurses over a body must never exhaust the stack. */
export const MAXIMUM_DEPTH = 200;
/** Maximum number of keys of one object. A configuration of 256 KiB in which each key has two letters has 37,000. */
export const MAXIMUM_KEYS = 50_000;
/** Maximum number of elements of one array. A configuration of 256 KiB that is one array of digits has 131,000. */
export const MAXIMUM_ELEMENTS = 150_000;
/**
 * Maximum number of keys and elements of a body together. A thousand log entries that fill 1 MiB with tiny metadata
 * have 130,000. A body of 1 MiB could contain 500,000, and building those takes a third of a second.
 */
export const MAXIMUM_VALUES = 200_000;

// Content of a body in Protocol Buffers, also counted in the bytes.

/** Maximum depth of nested messages: the limit at which the library stops reading. */
export const MAXIMUM_MESSAGE_DEPTH = 100;
/**
 * Maximum number of messages within the message, which take 1 µs each to build; 1 MiB has room for 500,000.
 * `MAXIMUM_VALUES` allows as many objects in JSON. A thousand log records with 49 attributes each have 100,000.
 */
export const MAXIMUM_PARTS = 100_000;
/**
 * Maximum number of fields, also unknown ones, and of elements of packed lists. A million counts of one histogram are 54 bytes
 * after compression, and take 100 ms to read.
 */
export const MAXIMUM_FIELDS = 200_000;
/** Maximum number of points of an export of metrics, in either encoding: to name and to store 10,000 takes 60 ms. */
export const MAXIMUM_DATA_POINTS = 10_000;
/** Maximum number of spans of an export, in either encoding. The official SDKs send 512 at a time. */
export const MAXIMUM_SPANS = 10_000;

// All bodies of an instance together. The time limit of those that are still arriving is in connection-limits.ts.

/**
 * Estimated memory of all of them: 64 bodies of the largest size, which is a burst of full log batches. Past it large bodies are
 * refused, past twice as much all.
 */
export const MAXIMUM_BODIES_MEMORY = 256 * 1024 * 1024;
/**
 * Memory of a byte of a body: as it was sent, in the parsed texts, in the rows made of them, and in the statement. 200 batches of logs
 * of 900 KB each took 4.6 MB each.
 */
export const MEMORY_OF_A_BYTE = 4;
/** Memory of a key or an element: an empty object takes V8 64 bytes with its place. */
export const MEMORY_OF_A_VALUE = 64;
/** A body that has not brought more bytes than this is small. A heartbeat with 100 reports has 10 KiB. */
export const SMALL_BODY_BYTES = 16 * 1024;
/** Bytes of large bodies that are parsed in one turn of the event loop, if there are several: some milliseconds. */
export const BYTES_OF_A_TURN = 256 * 1024;
/**
 * A body with more keys and elements than this waits for a turn once more, where each of them counts as so many bytes: to validate a
 * thousand empty reports, which are 3 KB, takes as long as to parse 1 MiB.
 */
export const FEW_VALUES = 1_000;
export const BYTES_OF_A_VALUE = 128;
/** Bytes for each byte of a compressed body, before it is decompressed: JSON of telemetry has five to ten. */
export const USUAL_COMPRESSION = 10;

// Replies.

/**
 * Maximum number of messages of a 422, the last of which may give the number of further ones. A thousand bad log
 * entries violate 2,000 rules.
 */
export const MAXIMUM_MESSAGES = 50;
/** Maximum length of one message, in characters. It may contain a property's name, whose length the caller chooses. */
export const MAXIMUM_MESSAGE_LENGTH = 500;
