/**
 * The limits of what concurrent requests write or read together, in `GroupCommit`. A weight is the length of an
 * item's long parts, in characters.
 */
export interface GroupLimits {
  /** Items in a group at most. */
  readonly items: number;
  /** Largest weight of a group. An item that alone weighs more goes alone. */
  readonly weight: number;
  /** Items that may wait for a group, and their weight: one beyond is refused at once, and may come again. */
  readonly waitingItems: number;
  readonly waitingWeight: number;
  /** Groups under way at once. */
  readonly concurrency: number;
  /** Shortest time between the beginnings of two groups that are not full; milliseconds. */
  readonly paceMs: number;
}

/**
 * 120 starts of 900 KB in one statement held the event loop for more than a second, and took 458 MB. Normal requests are so small
 * that a group holds hundreds of them.
 *
 * A statement costs both processes far more than another row of it, so a service that is called all the time spends some
 * milliseconds of each call's time and saves most of its work.
 */
export const GROUP_LIMITS: GroupLimits = {
  items: 500,
  weight: 1024 * 1024,
  waitingItems: 4_000,
  waitingWeight: 64 * 1024 * 1024,
  concurrency: 1,
  paceMs: 20,
};

/** A group of so many items, or of this weight, is full, and begins at once: waiting would save little. */
export const ITEMS_OF_A_FULL_GROUP = 16;
export const WEIGHT_OF_A_FULL_GROUP = 64 * 1024;
