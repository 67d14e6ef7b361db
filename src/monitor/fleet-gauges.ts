import { Injectable } from '@nestjs/common';
import { AgentSummaryService } from '../agents/agent-summary.service.js';
import { Database } from '../database/database.js';
import { LivenessService } from '../deployments/liveness.service.js';
import { ServiceMetrics } from '../observability/service-metrics.js';
import { judgeSilence } from './mass-silence.js';

/**
 * Gauges of the fleet as the monitor would judge it now. They are read at each scrape, because the last round may have
 * run on any instance, and the values must be the same on all.
 */
@Injectable()
export class FleetGauges {
  constructor(
    metrics: ServiceMetrics,
    summaries: AgentSummaryService,
    private readonly liveness: LivenessService,
    private readonly database: Database,
  ) {
    metrics.addFleetGauges(
      {
        control_plane_agents_online:
          'Agents that count as online: they have called, and were not declared lost since',
        control_plane_agents_overdue: 'Online agents that have been silent for longer than they may be',
        control_plane_agents_held_back:
          'Overdue agents that are not declared lost, because more than half of the fleet fell silent at once',
      },
      () => this.read(),
    );
    metrics.addFleetGauges(
      { control_plane_agents: 'Agents of the fleet, by health' },
      async () => {
        const counts = await summaries.fleetByHealth(database.background.manager);
        const values = Object.entries(counts).map(([health, value]) => ({ labels: { health }, value }));
        return { control_plane_agents: values };
      },
      ['health'],
    );
  }

  private async read() {
    const silence = await this.liveness.findSilence(this.database.background.manager);
    const { lost, heldBack } = judgeSilence(silence);
    return {
      control_plane_agents_online: silence.fleet,
      control_plane_agents_overdue: lost.length + heldBack.length,
      control_plane_agents_held_back: heldBack.length,
    };
  }
}
