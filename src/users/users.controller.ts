import { Body, Controller, Get, Patch, Query, UseInterceptors } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentUser } from '../access/caller.js';
import type { UserPrincipal } from '../access/principal.js';
import { UserRoute } from '../access/route-access.js';
import type { Page } from '../database/page.js';
import { ApiErrors } from '../http/openapi/api-errors.js';
import { ApiPageOf } from '../http/openapi/api-page.js';
import { pageRequest, ResourcePageQuery } from '../http/page-query.js';
import { PageInterceptor } from '../http/page.interceptor.js';
import { UuidParam } from '../http/uuid-param.js';
import { UpdateUserRequest } from './dto/update-user.request.js';
import { toUserResponse, UserResponse } from './user.response.js';
import { UsersService } from './users.service.js';

@ApiTags('Users')
@UserRoute({ operator: true, tokenOnly: true })
@Controller('users')
export class UsersController {
  constructor(private readonly users: UsersService) {}

  @Get()
  @ApiOperation({ operationId: 'listUsers', summary: 'All accounts, newest first; operators only' })
  @UseInterceptors(PageInterceptor)
  @ApiPageOf(UserResponse)
  async list(
    @CurrentUser() user: UserPrincipal,
    @Query() query: ResourcePageQuery,
  ): Promise<Page<UserResponse>> {
    return (await this.users.list(user.userId, pageRequest(query))).map(toUserResponse);
  }

  @Patch(':user_id')
  @ApiOperation({
    operationId: 'updateUser',
    summary: 'Activate or deactivate an account, or make it an operator or not; operators only',
  })
  @ApiOkResponse({ type: UserResponse })
  @ApiErrors({ 409: 'The account is the last active operator.' })
  async update(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('user_id') userId: string,
    @Body() body: UpdateUserRequest,
  ): Promise<UserResponse> {
    const change = { isActive: body.is_active, isAdmin: body.is_admin };
    return toUserResponse(await this.users.update(user, userId, change));
  }
}
