import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiServiceUnavailableResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '../access/route-access.js';
import { WithoutDatabase } from '../access/without-database.js';
import { SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import { name, version } from '../config/version.js';
import { HealthResponse, NotReadyResponse, ReadyResponse, ServiceDescription } from './dto/root-responses.js';
import { HealthService } from './health.service.js';

@ApiTags('Root')
@Controller()
export class HealthController {
  constructor(
    private readonly healthService: HealthService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Get()
  @Public()
  @WithoutDatabase()
  @ApiOperation({
    summary: 'Name and version of the service, and links to its documentation',
    description: 'The links are paths if `PUBLIC_URL` is not set in production.',
  })
  @ApiOkResponse({ type: ServiceDescription })
  describeService(@Req() request: Request): ServiceDescription {
    const address = this.addressFor(request);
    return {
      name,
      version,
      documentation_url: `${address}/docs`,
      openapi_url: `${address}/openapi.json`,
      web_url: this.webAddressFor(request),
    };
  }

  @Get('health')
  @Public()
  @WithoutDatabase()
  @ApiOperation({
    summary: 'Check that the process is alive, and show the state of its database',
    description: 'Always 200 within a second while the process runs, even if the database hangs.',
  })
  @ApiOkResponse({ type: HealthResponse })
  getHealth(): Promise<HealthResponse> {
    return this.healthService.health();
  }

  @Get('ready')
  @Public()
  @WithoutDatabase()
  @ApiOperation({
    summary: 'Check that this instance is ready for traffic',
    description: 'For load balancers: 503 until the database is ready, and while the instance shuts down.',
  })
  @ApiOkResponse({ type: ReadyResponse })
  @ApiServiceUnavailableResponse({
    type: NotReadyResponse,
    description: 'Not now; `error` says why.',
    headers: { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } },
  })
  async getReadiness(
    @Res({ passthrough: true }) response: Response,
  ): Promise<ReadyResponse | NotReadyResponse> {
    return answerReadiness(await this.healthService.readiness(), response);
  }

  /** The caller chooses `Host`, and a cache may keep the reply for others: in production the links are paths without it. */
  private addressFor(request: Request): string {
    const { PUBLIC_URL, NODE_ENV } = this.settings;
    if (PUBLIC_URL !== '' || NODE_ENV === 'production') return PUBLIC_URL;
    return `${request.protocol}://${request.get('host') ?? 'localhost'}`;
  }

  /** `npm start` gives both servers the same variables, so the web server is on the same machine at its port. */
  private webAddressFor({ hostname }: Request): string | null {
    const { WEB_PUBLIC_URL, WEB_PORT, NODE_ENV } = this.settings;
    if (WEB_PUBLIC_URL !== '') return WEB_PUBLIC_URL;
    // the system has chosen the port if it is 0
    if (NODE_ENV === 'production' || WEB_PORT === 0) return null;
    return `http://${hostname || 'localhost'}:${WEB_PORT}`;
  }
}

function answerReadiness(readiness: ReadyResponse | NotReadyResponse, response: Response) {
  if (readiness.status === 'not_ready') response.status(503).setHeader('Retry-After', '2');
  return readiness;
}
