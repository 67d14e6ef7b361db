import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { ServiceMetrics } from '../observability/service-metrics.js';
import { CommandsRepository } from './commands.repository.js';

/** States of an unsettled command. Each gets a value, even if there is no such command. */
const OPEN_STATES = ['pending', 'leased'] as const;

/** Gauges of the unacknowledged commands of all agents. */
@Injectable()
export class CommandGauges {
  constructor(metrics: ServiceMetrics, commands: CommandsRepository, database: Database) {
    metrics.addFleetGauges(
      {
        control_plane_commands: 'Commands that are not settled',
        control_plane_command_oldest_seconds: 'Age of the oldest of them',
      },
      async () => {
        const found = await commands.backlog(database.background.manager);
        const byState = (valueOf: (of: { count: number; oldestSeconds: number }) => number) =>
          OPEN_STATES.map((state) => ({
            labels: { state },
            value: valueOf(found.find((each) => each.state === state) ?? { count: 0, oldestSeconds: 0 }),
          }));
        return {
          control_plane_commands: byState(({ count }) => count),
          control_plane_command_oldest_seconds: byState(({ oldestSeconds }) => oldestSeconds),
        };
      },
      ['state'],
    );
  }
}
