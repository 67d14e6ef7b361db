import { Injectable } from '@nestjs/common';
import { AgentsService } from '../agents/agents.service.js';
import type { Page, PageRequest } from '../database/page.js';
import { DeploymentsService } from '../deployments/deployments.service.js';
import { LogsRepository } from './logs.repository.js';
import { MetricsRepository } from './metrics.repository.js';
import type { LogFilter, StoredLog, StoredMetric, TimeFilter } from './telemetry.types.js';

/** Logs and metrics as their owners read them, newest first. */
@Injectable()
export class TelemetryReading {
  constructor(
    private readonly agents: AgentsService,
    private readonly deployments: DeploymentsService,
    private readonly logs: LogsRepository,
    private readonly metrics: MetricsRepository,
  ) {}

  /** @throws NotFoundError where the user has no such agent */
  async logsOfAgent(
    userId: string,
    agentId: string,
    filter: LogFilter,
    request: PageRequest,
  ): Promise<Page<StoredLog>> {
    await this.agents.assertOwned(userId, agentId);
    return this.logs.list({ agentId }, filter, request);
  }

  /** @throws NotFoundError where the user has no such agent */
  async metricsOfAgent(
    userId: string,
    agentId: string,
    filter: TimeFilter,
    request: PageRequest,
  ): Promise<Page<StoredMetric>> {
    await this.agents.assertOwned(userId, agentId);
    return this.metrics.list({ agentId }, filter, request);
  }

  /** @throws NotFoundError where the user has no such deployment */
  async logsOfDeployment(
    userId: string,
    deploymentId: string,
    filter: LogFilter,
    request: PageRequest,
  ): Promise<Page<StoredLog>> {
    await this.deployments.assertOwned(userId, deploymentId);
    return this.logs.list({ deploymentId }, filter, request);
  }

  /** @throws NotFoundError where the user has no such deployment */
  async metricsOfDeployment(
    userId: string,
    deploymentId: string,
    filter: TimeFilter,
    request: PageRequest,
  ): Promise<Page<StoredMetric>> {
    await this.deployments.assertOwned(userId, deploymentId);
    return this.metrics.list({ deploymentId }, filter, request);
  }
}
