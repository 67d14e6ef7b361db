import { Controller, Get, Header } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import { UserRoute } from '../access/route-access.js';
import { METRICS_TYPE, ServiceMetrics } from './service-metrics.js';

@ApiTags('Root')
@UserRoute({ operator: true, scope: 'metrics' })
@Controller('metrics')
export class ServiceMetricsController {
  constructor(private readonly metrics: ServiceMetrics) {}

  @Get()
  @Header('Content-Type', METRICS_TYPE)
  @ApiOperation({
    summary: 'Metrics of this instance, for Prometheus; operators only',
    description:
      "In Prometheus' text format. Those of the whole fleet are the same on every instance with the role `monitor`, and " +
      'no other has them; the rest is about this process. A scraper sends the API key of an operator as bearer token.',
  })
  @ApiProduces('text/plain')
  @ApiOkResponse({ schema: { type: 'string' }, description: 'The metrics, one a line.' })
  getServiceMetrics(): Promise<string> {
    return this.metrics.read();
  }
}
