import { Injectable } from '@nestjs/common';
import { AgentHandoverService } from '../agents/agent-handover.service.js';
import { RunTimeRepository } from './run-time.repository.js';
import { RunsRepository } from './runs.repository.js';

/** Hands the runs of an agent over with it. */
@Injectable()
export class RunHandoverService {
  constructor(runs: RunsRepository, time: RunTimeRepository, handovers: AgentHandoverService) {
    handovers.onHandover(async (tx, { agentId, projectId }) => {
      // The usage of the runs until now stays with the former project.
      await time.countUntilNow(tx, agentId);
      await runs.moveForAgent(tx, agentId, projectId);
    });
  }
}
