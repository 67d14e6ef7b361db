import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { RateLimited } from '../access/rate-limited.js';
import { Public } from '../access/route-access.js';
import { ApiErrors } from '../http/openapi/api-errors.js';
import {
  SubscribedResponse,
  SubscriberCountResponse,
  toSubscribedResponse,
} from './dto/newsletter.responses.js';
import { SubscribeRequest } from './dto/subscribe.request.js';
import { NewsletterService } from './newsletter.service.js';

@ApiTags('Newsletter')
@Public()
@Controller('newsletter')
export class NewsletterController {
  constructor(private readonly newsletter: NewsletterService) {}

  /** No `Idempotency-Key` is needed: a repetition changes nothing, and the reply says that it is one. */
  @Post()
  @HttpCode(200)
  @RateLimited('newsletter')
  @ApiOperation({
    summary: 'Sign up for the newsletter; repeating it changes nothing',
    description: '`duplicate` says whether the address had signed up before.',
  })
  @ApiOkResponse({ type: SubscribedResponse })
  async subscribeToNewsletter(@Body() body: SubscribeRequest): Promise<SubscribedResponse> {
    return toSubscribedResponse(await this.newsletter.subscribe(body.email, body.source));
  }

  @Get()
  @ApiOperation({
    summary: "Count the newsletter's subscribers",
    description: 'Open to everybody; shows no email address.',
  })
  @ApiOkResponse({ type: SubscriberCountResponse })
  @ApiErrors(422, 503)
  async countNewsletterSubscribers(): Promise<SubscriberCountResponse> {
    return { count: await this.newsletter.count() };
  }
}
