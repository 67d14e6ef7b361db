import { Injectable } from '@nestjs/common';
import { AgentHandoverService } from '../../agents/agent-handover.service.js';
import { SchedulesRepository } from './schedules.repository.js';

/** Hands the schedules of an agent over with it. */
@Injectable()
export class ScheduleHandoverService {
  constructor(schedules: SchedulesRepository, handovers: AgentHandoverService) {
    handovers.onHandover((tx, { agentId, projectId }) => schedules.moveForAgent(tx, agentId, projectId));
  }
}
