import { Controller, Get, Inject, NotFoundException } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from '../access/route-access.js';
import { WithoutDatabase } from '../access/without-database.js';
import { SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import { tokenResourceOf } from '../config/token-resource.js';
import { RESOURCE_METADATA } from './key-challenge.filter.js';

/** Tells assistants which identity provider makes tokens for `/mcp` (RFC 9728). */
@ApiExcludeController()
@Controller()
export class TokenResourceController {
  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  /** The second path is the one that clients ask for of their own accord. */
  @Get([RESOURCE_METADATA, `${RESOURCE_METADATA}/mcp`])
  @Public()
  @WithoutDatabase()
  getTokenResource(): object {
    const resource = tokenResourceOf(this.settings);
    if (resource === null) throw new NotFoundException();
    return {
      resource,
      resource_name: 'Agent control plane',
      authorization_servers: [this.settings.OIDC_ISSUER],
      bearer_methods_supported: ['header'],
      scopes_supported: ['openid'],
    };
  }
}
