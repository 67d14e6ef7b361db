import { Injectable } from '@nestjs/common';
import { AgentHandoverService } from '../agents/agent-handover.service.js';
import { AgentRemovalService } from '../deployments/agent-removal.service.js';
import { FormerAgentsRepository } from './former-agents.repository.js';

/** Remembers the labels of agents that leave a project, because their spending there still counts. */
@Injectable()
export class FormerAgentsService {
  constructor(
    former: FormerAgentsRepository,
    removals: AgentRemovalService,
    handovers: AgentHandoverService,
  ) {
    removals.onRemoval((tx, agentId) => former.add(tx, null, agentId));
    handovers.onHandover(async (tx, { agentId, formerProjectId, projectId }) => {
      await former.add(tx, formerProjectId, agentId);
      await former.forget(tx, projectId, agentId);
    });
  }
}
