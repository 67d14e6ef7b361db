import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentUser } from '../access/caller.js';
import type { UserPrincipal } from '../access/principal.js';
import { UserRoute } from '../access/route-access.js';
import type { Page } from '../database/page.js';
import { PageOf } from '../http/page-reply.js';
import { pageRequest, ResourcePageQuery } from '../http/page-query.js';
import { toUserResponse, UserResponse } from './user.response.js';
import { UsersService } from './users.service.js';

@ApiTags('Users')
@UserRoute({ operator: true, tokenOnly: true })
@Controller('users')
export class UsersController {
  constructor(private readonly users: UsersService) {}

  @Get()
  @ApiOperation({
    summary: 'All accounts, newest first; operators only',
    description: 'Passwords and keys are never shown.',
  })
  @PageOf(UserResponse)
  async listUsers(
    @CurrentUser() user: UserPrincipal,
    @Query() query: ResourcePageQuery,
  ): Promise<Page<UserResponse>> {
    return (await this.users.list(user, pageRequest(query))).map(toUserResponse);
  }
}
