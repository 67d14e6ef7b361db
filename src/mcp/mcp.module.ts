import { Module } from '@nestjs/common';
import { KeyChallengeFilter } from './key-challenge.filter.js';
import { McpAuditService } from './mcp-audit.service.js';
import { McpController } from './mcp.controller.js';
import { McpService } from './mcp.service.js';
import { OriginGuard } from './origin.guard.js';
import { OwnApi } from './own-api.js';
import { TokenResourceController } from './token-resource.controller.js';
import { ToolTableService } from './tool-table.service.js';

@Module({
  controllers: [McpController, TokenResourceController],
  providers: [KeyChallengeFilter, McpAuditService, McpService, OriginGuard, OwnApi, ToolTableService],
})
export class McpModule {}
