import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { LogLevelController } from './log-level.controller.js';
import { LogLevelService } from './log-level.service.js';
import { MaintenanceController } from './maintenance.controller.js';
import { MaintenanceGuard } from './maintenance.guard.js';
import { MaintenanceService } from './maintenance.service.js';
import { SwitchesRepository } from './switches.repository.js';
import { SwitchesService } from './switches.service.js';

@Module({
  controllers: [LogLevelController, MaintenanceController],
  providers: [
    LogLevelService,
    MaintenanceService,
    SwitchesRepository,
    SwitchesService,
    { provide: APP_GUARD, useClass: MaintenanceGuard },
  ],
})
export class SwitchesModule {}
