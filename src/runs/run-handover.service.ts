import { Injectable } from '@nestjs/common';
import { AgentHandoverService } from '../agents/agent-handover.service.js';
import { RunsRepository } from './runs.repository.js';

/** Hands the runs of an agent over with it. */
@Injectable()
export class RunHandoverService {
  constructor(runs: RunsRepository, handovers: AgentHandoverService) {
    handovers.onHandover((tx, { agentId, projectId }) => runs.moveForAgent(tx, agentId, projectId));
  }
}
