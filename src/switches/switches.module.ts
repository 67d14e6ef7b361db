import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { MaintenanceController } from './maintenance.controller.js';
import { MaintenanceGuard } from './maintenance.guard.js';
import { MaintenanceService } from './maintenance.service.js';
import { SwitchesRepository } from './switches.repository.js';
import { SwitchesService } from './switches.service.js';

@Module({
  controllers: [MaintenanceController],
  providers: [
    MaintenanceService,
    SwitchesRepository,
    SwitchesService,
    { provide: APP_GUARD, useClass: MaintenanceGuard },
  ],
})
export class SwitchesModule {}
