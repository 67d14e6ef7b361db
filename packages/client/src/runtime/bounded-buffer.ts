export interface BufferLimits {
  readonly entries: number;
  readonly bytes: number;
}

interface Held<Entry> {
  readonly entry: Entry;
  readonly bytes: number;
}

/** First in, first out, within limits: the oldest entries are dropped first, and reported. */
export class BoundedBuffer<Entry> {
  private held: Held<Entry>[] = [];
  /** Index of the first entry: shifting a long array for each entry would cost more than the entry. */
  private first = 0;
  private bytes = 0;

  constructor(
    private readonly limits: BufferLimits,
    private readonly sizeOf: (entry: Entry) => number,
    private readonly onDropped: (entry: Entry) => void,
  ) {}

  get size(): number {
    return this.held.length - this.first;
  }

  get sizeInBytes(): number {
    return this.bytes;
  }

  push(entry: Entry): void {
    const bytes = this.sizeOf(entry);
    this.held.push({ entry, bytes });
    this.bytes += bytes;
    while (this.size > this.limits.entries || (this.bytes > this.limits.bytes && this.size > 1))
      this.onDropped(this.shift());
  }

  /** Takes the oldest entries that fit; an entry that exceeds the limit is taken alone. */
  take(most: BufferLimits): Entry[] {
    const taken: Entry[] = [];
    let bytes = 0;
    while (this.size > 0 && taken.length < most.entries) {
      bytes += this.held[this.first]!.bytes;
      if (taken.length > 0 && bytes > most.bytes) break;
      taken.push(this.shift());
    }
    return taken;
  }

  private shift(): Entry {
    const { entry, bytes } = this.held[this.first]!;
    this.held[this.first] = undefined as never;
    this.first += 1;
    this.bytes -= bytes;
    if (this.first > 1_024 && this.first * 2 > this.held.length) {
      this.held = this.held.slice(this.first);
      this.first = 0;
    }
    return entry;
  }
}
