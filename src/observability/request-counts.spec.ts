import { instruments } from './instruments.js';
import { countRequest } from './request-counts.js';

describe('The counts of requests', () => {
  it('are a counter by status and a histogram whose buckets hold all that took at most their bound', async () => {
    const route = '/counted/:id';
    countRequest('GET', route, 200, 0.0005);
    countRequest('GET', route, 200, 0.005);
    countRequest('GET', route, 404, 61);
    countRequest('PUT', route, 200, 0.3);

    const counter = await instruments.getSingleMetricAsString('http_requests_total');
    expect(linesOf(counter, route)).toEqual([
      'http_requests_total{method="GET",route="/counted/:id",status="200"} 2',
      'http_requests_total{method="GET",route="/counted/:id",status="404"} 1',
      'http_requests_total{method="PUT",route="/counted/:id",status="200"} 1',
    ]);
    const histogram = await instruments.getSingleMetricAsString('http_request_duration_seconds');
    expect(histogram).toContain('# TYPE http_request_duration_seconds histogram\n');
    const ofGet = linesOf(histogram, 'method="GET",route="/counted/:id"').map((line) =>
      line.replace('method="GET",route="/counted/:id"', '…'),
    );
    expect(ofGet).toEqual([
      ...['0.001', '0.0025'].map((le) => `http_request_duration_seconds_bucket{le="${le}",…} 1`),
      ...['0.005', '0.01', '0.025', '0.05', '0.1', '0.25', '0.5', '1', '2.5', '5', '15', '60'].map(
        (le) => `http_request_duration_seconds_bucket{le="${le}",…} 2`,
      ),
      'http_request_duration_seconds_bucket{le="+Inf",…} 3',
      'http_request_duration_seconds_sum{…} 61.0055',
      'http_request_duration_seconds_count{…} 3',
    ]);
  });
});

function linesOf(text: string, part: string): string[] {
  return text.split('\n').filter((line) => line.includes(part));
}
