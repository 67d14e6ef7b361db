import { ApiProperty } from '@nestjs/swagger';

class ReportTaken {
  @ApiProperty({ description: 'Whether the report changed a status or added to the history.' })
  changed: boolean;
}

export class AgentStatusReportTaken extends ReportTaken {
  @ApiProperty({ enum: ['updated'] })
  status: 'updated';
}

export class DeploymentReportTaken extends ReportTaken {
  @ApiProperty({ enum: ['processed'] })
  status: 'processed';
}

export class MetricsReportTaken {
  @ApiProperty({ enum: ['recorded'] })
  status: 'recorded';
}
