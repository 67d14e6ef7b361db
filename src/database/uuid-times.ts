/**
 * The least UUID of version 7 for a time. Identifiers sort by time, so a range of times is a range of identifiers: the
 * indexes that end with the identifier serve it, and none on the time is needed. Times before 1970 count as 1970.
 */
export function uuidFloor(moment: Date): string {
  const hex = Math.max(0, moment.getTime()).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

/** The creation time of a UUID of version 7, to the millisecond. */
export function momentOf(uuid: string): Date {
  return new Date(Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16));
}
