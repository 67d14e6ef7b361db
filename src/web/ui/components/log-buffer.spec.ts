import { LogBuffer } from './log-buffer.js';

const rows = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => ({
    id: String(from + index),
    agent_id: 'agent',
    deployment_id: null,
    run_id: null,
    level: 'info' as const,
    message: `line ${from + index}`,
    metadata: null,
    timestamp: new Date(from + index).toISOString(),
  }));

const idsOf = (buffer: LogBuffer) => buffer.chunks.flatMap((chunk) => chunk.rows.map(({ id }) => Number(id)));
const range = (from: number, to: number) => rows(from, to).map(({ id }) => Number(id));

describe('LogBuffer', () => {
  it('keeps each line once, from the list and from the stream', () => {
    const buffer = LogBuffer.empty(1_000).append(rows(10, 20)).append(rows(15, 30)).prepend(rows(5, 12));
    expect(idsOf(buffer)).toEqual(range(5, 30));
    expect(LogBuffer.empty(10).append([...rows(1, 2), ...rows(1, 2)]).size).toBe(2);
  });

  it('returns unchanged chunks as the same objects', () => {
    const before = LogBuffer.empty(1_000).append(rows(1, 250));
    const after = before.append(rows(251, 260));
    expect(after.chunks.slice(0, 2)).toEqual(before.chunks.slice(0, 2));
    after.chunks.slice(0, 2).forEach((chunk, index) => expect(chunk).toBe(before.chunks[index]));
    expect(after.append(rows(1, 260))).toBe(after);
  });

  it('gives each chunk its own key, in order', () => {
    const buffer = LogBuffer.empty(2_000)
      .append(rows(500, 730))
      .prepend(rows(200, 499))
      .append(rows(731, 900));
    const keys = buffer.chunks.map(({ key }) => key);
    expect(keys).toEqual([...new Set(keys)].sort((one, other) => one - other));
    expect(idsOf(buffer)).toEqual(range(200, 900));
  });

  it('drops its oldest lines past its limit, and accepts no older ones then', () => {
    const full = LogBuffer.empty(300).append(rows(1, 1_000));
    expect(full.size).toBeLessThanOrEqual(300);
    expect(idsOf(full).at(-1)).toBe(1_000);
    expect(full.isFull).toBe(true);
    expect(full.prepend(rows(1, 50))).toBe(full);
    const almost = LogBuffer.empty(300).append(rows(101, 390)).prepend(rows(1, 100));
    expect(idsOf(almost)).toEqual(range(91, 390));
  });

  it('drops older lines when lines in between are missing', () => {
    const before = LogBuffer.empty(1_000).append(rows(1, 50));
    expect(idsOf(before.catchUp(rows(40, 90), false))).toEqual(range(1, 90));
    expect(idsOf(before.catchUp(rows(80, 90), false))).toEqual(range(80, 90));
    expect(idsOf(before.catchUp(rows(51, 60), true))).toEqual(range(1, 60));
    expect(before.catchUp([], true)).toBe(before);
  });

  it('accepts a dropped line again', () => {
    const buffer = LogBuffer.empty(200).append(rows(1, 200)).append(rows(201, 300)).append(rows(301, 350));
    const [oldest] = idsOf(buffer);
    expect(oldest).toBeGreaterThan(100);
    expect(idsOf(buffer.prepend(rows(1, oldest! - 1)))).toContain(oldest! - 1);
  });
});
