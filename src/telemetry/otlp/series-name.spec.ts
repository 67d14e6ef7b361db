import { create } from '@bufbuild/protobuf';
import { MetricSchema } from './generated/otlp_pb.js';
import { nameOfMetric, nameOfSeries } from './series-name.js';

const gauge = { case: 'gauge' as const, value: {} };
const sum = (isMonotonic: boolean, aggregationTemporality = 2) => ({
  case: 'sum' as const,
  value: { isMonotonic, aggregationTemporality },
});

describe('nameOfMetric', () => {
  it.each([
    ['process.memory.usage', 'By', gauge, 'process.memory.usage_bytes'],
    ['sent.bytes', 'By', sum(true), 'sent.bytes_total'],
    ['orders', '{order}', sum(true), 'orders_total'],
    ['orders', '1', sum(true), 'orders_total'],
    ['orders_total', '', sum(true), 'orders_total'],
    ['orders', '', sum(true, 1), 'orders_total'],
    ['active_time.total', 's', sum(true, 1), 'active_time_seconds.total'],
    ['cost.usage', 'USD', sum(true), 'cost.usage_usd_total'],
    ['total_orders', '', sum(true), 'total_orders_total'],
    ['queue', '', sum(false), 'queue'],
    ['cpu.utilization', '1', gauge, 'cpu.utilization_ratio'],
    ['latency_ms', 'furlong', gauge, 'latency_ms'],
    ['nul\0', 'ms', gauge, 'nul\uFFFD_milliseconds'],
  ])('ends the name %j of the unit %j with what charts read', (name, unit, data, expected) => {
    expect(nameOfMetric(create(MetricSchema, { name, unit, data }))).toBe(expected);
  });
});

describe('nameOfSeries', () => {
  it('has the attributes in order', () => {
    const attribute = (key: string, value: string) => ({
      key,
      value: { value: { case: 'stringValue' as const, value } },
    });
    const given = create(MetricSchema, {
      data: {
        case: 'gauge',
        value: { dataPoints: [{ attributes: [attribute('b', '2'), attribute('a', '"')] }] },
      },
    });
    const [point] = given.data.case === 'gauge' ? given.data.value.dataPoints : [];
    expect(nameOfSeries('orders', point!.attributes)).toBe('orders{a="\\"",b="2"}');
    expect(nameOfSeries('orders', [])).toBe('orders');
  });
});
