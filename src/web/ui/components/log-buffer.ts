import type { LogRecord } from '@agent-control-plane/client';

const CHUNK_LINES = 100;

/** Lines that are shown together and, once it is full, never change again. */
export interface LogChunk {
  readonly key: number;
  readonly rows: readonly LogRecord[];
}

/**
 * The lines that a log viewer shows, oldest first, each once. It never holds more than its limit: new lines push the
 * oldest out. Chunks that did not change stay the same objects, so that only the last one is drawn anew.
 */
export class LogBuffer {
  private constructor(
    readonly chunks: readonly LogChunk[],
    private readonly ids: ReadonlySet<string>,
    readonly limit: number,
  ) {}

  /** @param limit most lines that it holds */
  static empty(limit: number): LogBuffer {
    return new LogBuffer([], new Set(), limit);
  }

  get size(): number {
    return this.ids.size;
  }

  get isFull(): boolean {
    return this.size >= this.limit;
  }

  get oldest(): LogRecord | undefined {
    return this.chunks[0]?.rows[0];
  }

  /** @param rows newer than what is there, oldest first; known ones are left out */
  append(rows: readonly LogRecord[]): LogBuffer {
    const fresh = this.unknown(rows);
    if (fresh.length === 0) return this;
    const last = this.chunks.at(-1);
    const isOpen = last !== undefined && last.rows.length < CHUNK_LINES;
    const kept = isOpen ? this.chunks.slice(0, -1) : this.chunks;
    const firstKey = isOpen ? last.key : (last?.key ?? 0) + 1;
    const added = chunked(isOpen ? [...last.rows, ...fresh] : fresh, firstKey);
    return this.with([...kept, ...added], fresh).trimmed();
  }

  /**
   * After a time without news. Where lines in between are missing, the older ones go: a hole that nobody sees would
   * be worse.
   *
   * @param rows the newest there are, oldest first
   * @param isAll there are no others
   */
  catchUp(rows: readonly LogRecord[], isAll: boolean): LogBuffer {
    const isConnected = isAll || rows.some(({ id }) => this.ids.has(id));
    return (isConnected ? this : LogBuffer.empty(this.limit)).append(rows);
  }

  /** @param rows older than what is there, oldest first; as many of them as there is room for */
  prepend(rows: readonly LogRecord[]): LogBuffer {
    const room = this.limit - this.size;
    const unknown = this.unknown(rows);
    const fresh = room <= 0 ? [] : unknown.slice(-room);
    if (fresh.length === 0) return this;
    const count = Math.ceil(fresh.length / CHUNK_LINES);
    const firstKey = (this.chunks[0]?.key ?? 1) - count;
    return this.with([...chunked(fresh, firstKey), ...this.chunks], fresh);
  }

  private unknown(rows: readonly LogRecord[]): LogRecord[] {
    const distinct = new Map(rows.map((row) => [row.id, row]));
    return [...distinct.values()].filter(({ id }) => !this.ids.has(id));
  }

  private with(chunks: readonly LogChunk[], fresh: readonly LogRecord[]): LogBuffer {
    return new LogBuffer(chunks, new Set([...this.ids, ...fresh.map(({ id }) => id)]), this.limit);
  }

  /** Whole chunks go, so that what stays need not be drawn anew. */
  private trimmed(): LogBuffer {
    let gone = 0;
    let size = this.size;
    while (size > this.limit && gone < this.chunks.length - 1) size -= this.chunks[gone++]!.rows.length;
    if (gone === 0) return this;
    const chunks = this.chunks.slice(gone);
    return new LogBuffer(chunks, new Set(chunks.flatMap(({ rows }) => rows.map(({ id }) => id))), this.limit);
  }
}

function chunked(rows: readonly LogRecord[], firstKey: number): LogChunk[] {
  return Array.from({ length: Math.ceil(rows.length / CHUNK_LINES) }, (_, index) => ({
    key: firstKey + index,
    rows: rows.slice(index * CHUNK_LINES, (index + 1) * CHUNK_LINES),
  }));
}
