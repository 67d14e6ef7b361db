import type { UsagePoint } from './otlp/token-metrics.js';
import { amountOf, incrementOf } from './series-increments.js';

const NOW = Date.parse('2026-03-10T12:00:00Z');
const HOUR_MS = 3_600_000;
const NEW = { lastPointAt: null, amount: 0 };

const point = (rest: Partial<UsagePoint> = {}): UsagePoint => ({
  deploymentId: null,
  runId: null,
  model: 'm',
  provider: null,
  timestamp: new Date(NOW),
  series: 'a'.repeat(32),
  bucket: 'inputTokens',
  isWithinInput: false,
  value: 10,
  isDelta: false,
  startTime: new Date(NOW - HOUR_MS),
  ...rest,
});

describe('The increment of a series', () => {
  it.each<[string, Partial<UsagePoint>, Parameters<typeof incrementOf>[0], number | null]>([
    ['the whole total of a program that began lately', {}, NEW, 10],
    ['unknown of a total that began long ago', { startTime: new Date(NOW - 8 * 24 * HOUR_MS) }, NEW, 0],
    ['unknown of a total without a beginning', { startTime: null }, NEW, 0],
    ['the difference to the total before', {}, { lastPointAt: NOW - 1, amount: 7 }, 3],
    ['nothing for an equal total', {}, { lastPointAt: NOW - 1, amount: 10 }, 0],
    ['the whole of a smaller total', {}, { lastPointAt: NOW - 1, amount: 11 }, 10],
    ['none for a point that was sent again', {}, { lastPointAt: NOW, amount: 10 }, null],
    ['none for a late point', {}, { lastPointAt: NOW + 1, amount: 3 }, null],
    ['the value of a delta', { isDelta: true }, { lastPointAt: NOW - 1, amount: 0 }, 10],
    ['the value of the first delta', { isDelta: true, startTime: null }, NEW, 10],
    ['none for a delta that was sent again', { isDelta: true }, { lastPointAt: NOW, amount: 0 }, null],
  ])('is %s', (_, rest, state, expected) => {
    const change = incrementOf(state, point(rest), 10, NOW);
    expect(change?.increment ?? null).toBe(expected);
  });

  it('has whole tokens, and millionths of a dollar', () => {
    expect(amountOf(point({ value: 9.6 }))).toBe(10);
    expect(amountOf(point({ bucket: 'costUsd', value: 0.0000125 }))).toBe(13);
    expect(amountOf(point({ value: 1e13 }))).toBeNull();
  });
});
