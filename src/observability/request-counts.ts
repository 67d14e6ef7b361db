import { Counter, type Histogram } from 'prom-client';
import { instruments } from './instruments.js';

/** Upper bounds of the histogram's buckets; seconds. */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, Infinity];

/** Counts of the requests of one route and method, from which both metrics are made. */
interface Served {
  readonly method: string;
  readonly route: string;
  readonly byStatus: Map<number, number>;
  /** How many took at most the bound of the same index, and more than the one before. */
  readonly inBucket: number[];
  seconds: number;
}

const byRoute = new Map<string, Map<string, Served>>();

/**
 * Counts a request when its answer has ended. Each request is counted, and prom-client takes 0.4 us for a counter or a histogram
 * to join its labels to a text and find that, so it gets the counts when the metrics are collected.
 *
 * @param route the route's template, or `none` where none matched, so that labels stay bounded
 */
export function countRequest(method: string, route: string, status: number, seconds: number): void {
  const served = byRoute.get(route)?.get(method) ?? firstOf(method, route);
  served.byStatus.set(status, (served.byStatus.get(status) ?? 0) + 1);
  served.seconds += seconds;
  served.inBucket[BOUNDS.findIndex((bound) => seconds <= bound)]! += 1;
}

function firstOf(method: string, route: string): Served {
  const served = { method, route, byStatus: new Map(), inBucket: BOUNDS.map(() => 0), seconds: 0 };
  const methods = byRoute.get(route) ?? new Map<string, Served>();
  byRoute.set(route, methods.set(method, served));
  return served;
}

function allServed(): Served[] {
  return [...byRoute.values()].flatMap((methods) => [...methods.values()]);
}

new Counter({
  name: 'http_requests_total',
  help: 'Requests whose answer has ended, by method, template of the route, and status',
  labelNames: ['method', 'route', 'status'],
  registers: [instruments],
  collect() {
    this.reset();
    for (const { method, route, byStatus } of allServed())
      for (const [status, count] of byStatus) this.inc({ method, route, status }, count);
  },
});

const SECONDS = 'http_request_duration_seconds';

/** A metric as a registry reads one. prom-client's own histogram can't be given counts: it takes single observations. */
const requestSeconds = {
  name: SECONDS,
  get: () =>
    Promise.resolve({
      name: SECONDS,
      help: 'From the headers of a request to the end of its answer; a long poll or stream lasts as long as it is asked to',
      type: 'histogram',
      aggregator: 'sum',
      values: allServed().flatMap(histogramOf),
    }),
};
instruments.registerMetric(requestSeconds as unknown as Histogram);

/** Values of the histogram. Prometheus counts in each bucket all requests that took at most its bound. */
function histogramOf({ method, route, inBucket, seconds }: Served) {
  const labels = { method, route };
  let count = 0;
  const buckets = BOUNDS.map((bound, index) => ({
    metricName: `${SECONDS}_bucket`,
    labels: { le: bound === Infinity ? '+Inf' : bound, ...labels },
    value: (count += inBucket[index]!),
  }));
  return [
    ...buckets,
    { metricName: `${SECONDS}_sum`, labels, value: seconds },
    { metricName: `${SECONDS}_count`, labels, value: count },
  ];
}
