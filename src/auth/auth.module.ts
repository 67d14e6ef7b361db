import { Module } from '@nestjs/common';
import { APP_GUARD, DiscoveryModule } from '@nestjs/core';
import { AgentsModule } from '../agents/agents.module.js';
import { ApiKeysModule } from '../api-keys/api-keys.module.js';
import { UsersModule } from '../users/users.module.js';
import { AccessTokenStrategy } from './access-token.strategy.js';
import { AccountByEmail, AccountByRefreshToken } from './accounts-of-requests.js';
import { AgentGuard } from './agent.guard.js';
import { AuthController } from './auth.controller.js';
import { AuthService } from './auth.service.js';
import { RouteDeclarations } from './route-declarations.js';
import { Passwords } from './passwords.js';
import { RefusedRuntimes } from './refused-runtimes.service.js';
import { SigningKeys } from './signing-keys.js';
import { TokensService } from './tokens.service.js';
import { UserGuard } from './user.guard.js';

@Module({
  imports: [DiscoveryModule, UsersModule, ApiKeysModule, AgentsModule],
  controllers: [AuthController],
  providers: [
    AccessTokenStrategy,
    AccountByEmail,
    AccountByRefreshToken,
    AuthService,
    Passwords,
    RefusedRuntimes,
    SigningKeys,
    TokensService,
    RouteDeclarations,
    // In this order: people's guard judges what is no agent's key.
    { provide: APP_GUARD, useClass: UserGuard },
    { provide: APP_GUARD, useClass: AgentGuard },
  ],
})
export class AuthModule {}
