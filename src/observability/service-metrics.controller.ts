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
    summary: "Read this instance's metrics, for Prometheus; operators only",
    description:
      "In Prometheus' text format. Metrics of all agents come only from instances with the role `monitor`, and are " +
      'the same on each; all others are about this process. A scraper sends the API key of an operator as bearer ' +
      'token.',
  })
  @ApiProduces('text/plain')
  @ApiOkResponse({ schema: { type: 'string' }, description: 'The metrics, one per line.' })
  getServiceMetrics(): Promise<string> {
    return this.metrics.read();
  }
}
