import { Body, Controller, Delete, Get, HttpCode, Put, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentUser } from '../access/caller.js';
import type { UserPrincipal } from '../access/principal.js';
import { UserRoute } from '../access/route-access.js';
import type { Page } from '../database/page.js';
import { IdempotentRequests } from '../http/idempotency/idempotent-requests.js';
import { ApiErrors } from '../http/openapi/api-errors.js';
import { pageRequest, ResourcePageQuery } from '../http/page-query.js';
import { PageOf } from '../http/page-reply.js';
import { UuidParam } from '../http/uuid-param.js';
import { NoBody } from '../http/validation.js';
import { priceOf, PutModelPriceRequest } from './dto/model-price.request.js';
import { ModelPriceResponse, toModelPriceResponse } from './model-price.response.js';
import { ModelPricesService } from './model-prices.service.js';

@ApiTags('Usage')
@Controller('model-prices')
export class ModelPricesController {
  constructor(
    private readonly prices: ModelPricesService,
    private readonly requests: IdempotentRequests,
  ) {}

  @Get()
  @UserRoute({ scope: 'read' })
  @ApiOperation({
    summary: 'List the model prices that operators have set, newest first',
    description: 'Other models have their public price, if the service has one.',
  })
  @PageOf(ModelPriceResponse)
  async listModelPrices(
    @CurrentUser() user: UserPrincipal,
    @Query() query: ResourcePageQuery,
  ): Promise<Page<ModelPriceResponse>> {
    return (await this.prices.list(user.userId, pageRequest(query))).map(toModelPriceResponse);
  }

  @Put()
  @UserRoute({ operator: true, scope: 'budgets' })
  @ApiOperation({
    summary: 'Set the price of a model; operators only',
    description:
      'Replaces a price with the same provider, model and time, and takes precedence over the public price. Applies ' +
      'to usage that arrives from now on, on every instance within ten seconds; counted usage stays.',
  })
  @ApiOkResponse({ type: ModelPriceResponse })
  @ApiErrors({ 409: 'The maximum number of prices is reached.' })
  putModelPrice(
    @CurrentUser() user: UserPrincipal,
    @Body() body: PutModelPriceRequest,
  ): Promise<ModelPriceResponse> {
    return this.requests.run(user.userId, undefined, async (tx) =>
      toModelPriceResponse(await this.prices.put(tx, user, priceOf(body))),
    );
  }

  @Delete(':price_id')
  @NoBody()
  @UserRoute({ operator: true, scope: 'budgets' })
  @HttpCode(204)
  @ApiOperation({
    summary: 'Delete the price of a model; operators only',
    description: 'Counted usage stays.',
  })
  @ApiNoContentResponse({ description: 'The price is deleted.' })
  async deleteModelPrice(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('price_id') id: string,
  ): Promise<void> {
    await this.requests.run(user.userId, undefined, (tx) => this.prices.delete(tx, user, id));
  }
}
