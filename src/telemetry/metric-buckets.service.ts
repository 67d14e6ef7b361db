import { Injectable } from '@nestjs/common';
import { AgentReadingService } from '../agents/agent-reading.service.js';
import { DeploymentReadingService } from '../deployments/deployment-reading.service.js';
import { ListReads } from '../http/list-reads.js';
import { MetricBucketsRepository } from './metric-buckets.repository.js';
import type { BucketRequest, BucketValue, TelemetrySource } from './telemetry.types.js';

/** Longer ranges are searches: an agent that reports twice a minute has 720 samples in six hours. */
const LONGEST_CHEAP_RANGE_MS = 6 * 60 * 60_000;

/** Sums up metrics for charts. */
@Injectable()
export class MetricBuckets {
  constructor(
    private readonly agents: AgentReadingService,
    private readonly deployments: DeploymentReadingService,
    private readonly lists: ListReads,
    private readonly buckets: MetricBucketsRepository,
  ) {}

  /** @throws NotFoundError where the user has no such agent; UnavailableError, InvalidError as `ListReads.page` */
  async ofAgent(userId: string, agentId: string, request: BucketRequest): Promise<BucketValue[]> {
    await this.agents.assertOwned(userId, agentId);
    return this.read(userId, { agentId }, request);
  }

  /** As {@link ofAgent}, for a deployment. */
  async ofDeployment(userId: string, deploymentId: string, request: BucketRequest): Promise<BucketValue[]> {
    await this.deployments.assertOwned(userId, deploymentId);
    return this.read(userId, { deploymentId }, request);
  }

  private read(userId: string, source: TelemetrySource, request: BucketRequest): Promise<BucketValue[]> {
    const isLong = request.until.getTime() - request.since.getTime() > LONGEST_CHEAP_RANGE_MS;
    return this.lists.page(userId, { skip: 0, includeTotal: false }, isLong, (connection) =>
      this.buckets.read(connection, source, request),
    );
  }
}
