import type { LogRecord } from '@agent-control-plane/client';

/** A line of a log, with the name of its agent in a list of several agents. A stream does not send names. */
export type LogRow = LogRecord & { readonly agent_name?: string };

const CHUNK_LINES = 100;

/** A group of lines that are rendered together; a full one never changes. */
export interface LogChunk {
  readonly key: number;
  readonly rows: readonly LogRow[];
}

/**
 * The lines of a log viewer, oldest first, each once. New lines push the oldest out past the limit. Unchanged chunks stay
 * the same objects, so that only the last one is rendered again.
 */
export class LogBuffer {
  private constructor(
    readonly chunks: readonly LogChunk[],
    private readonly ids: ReadonlySet<string>,
    readonly limit: number,
  ) {}

  /** @param limit maximum number of lines */
  static empty(limit: number): LogBuffer {
    return new LogBuffer([], new Set(), limit);
  }

  get size(): number {
    return this.ids.size;
  }

  get isFull(): boolean {
    return this.size >= this.limit;
  }

  get oldest(): LogRow | undefined {
    return this.chunks[0]?.rows[0];
  }

  /** @param rows newer than the present lines, oldest first; known ones are left out */
  append(rows: readonly LogRow[]): LogBuffer {
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
   * Adds lines after an interruption. If lines in between are missing, the older ones are dropped: an invisible gap
   * would be worse.
   *
   * @param rows the newest lines, oldest first
   * @param isAll true if there are no other lines
   */
  catchUp(rows: readonly LogRow[], isAll: boolean): LogBuffer {
    const isConnected = isAll || rows.some(({ id }) => this.ids.has(id));
    return (isConnected ? this : LogBuffer.empty(this.limit)).append(rows);
  }

  /** @param rows older than the present lines, oldest first; as many are added as fit */
  prepend(rows: readonly LogRow[]): LogBuffer {
    const room = this.limit - this.size;
    const unknown = this.unknown(rows);
    const fresh = room <= 0 ? [] : unknown.slice(-room);
    if (fresh.length === 0) return this;
    const count = Math.ceil(fresh.length / CHUNK_LINES);
    const firstKey = (this.chunks[0]?.key ?? 1) - count;
    return this.with([...chunked(fresh, firstKey), ...this.chunks], fresh);
  }

  private unknown(rows: readonly LogRow[]): LogRow[] {
    const distinct = new Map(rows.map((row) => [row.id, row]));
    return [...distinct.values()].filter(({ id }) => !this.ids.has(id));
  }

  private with(chunks: readonly LogChunk[], fresh: readonly LogRow[]): LogBuffer {
    return new LogBuffer(chunks, new Set([...this.ids, ...fresh.map(({ id }) => id)]), this.limit);
  }

  /** Drops whole chunks, so that the others need not be rendered again. */
  private trimmed(): LogBuffer {
    let gone = 0;
    let size = this.size;
    while (size > this.limit && gone < this.chunks.length - 1) size -= this.chunks[gone++]!.rows.length;
    if (gone === 0) return this;
    const chunks = this.chunks.slice(gone);
    return new LogBuffer(chunks, new Set(chunks.flatMap(({ rows }) => rows.map(({ id }) => id))), this.limit);
  }
}

function chunked(rows: readonly LogRow[], firstKey: number): LogChunk[] {
  return Array.from({ length: Math.ceil(rows.length / CHUNK_LINES) }, (_, index) => ({
    key: firstKey + index,
    rows: rows.slice(index * CHUNK_LINES, (index + 1) * CHUNK_LINES),
  }));
}
