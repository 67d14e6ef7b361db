import { ApiProperty } from '@nestjs/swagger';

export class AgentStatusReportTaken {
  @ApiProperty({ enum: ['updated'] })
  status: 'updated';
}

export class DeploymentReportTaken {
  @ApiProperty({ enum: ['processed'] })
  status: 'processed';
}

export class MetricsReportTaken {
  @ApiProperty({ enum: ['recorded'] })
  status: 'recorded';
}
