import { Controller, Get, Post } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { HiddenRoutes } from './hidden-routes.js';

@Controller('things')
class ThingsController {
  @Get(':id')
  read(): void {}

  @Post(':id/parts')
  addPart(): void {}
}

@Controller('things')
class FixedController {
  @Get('newest')
  newest(): void {}
}

@Controller('things')
class OtherController {
  @Post('newest')
  make(): void {}

  @Get(':id/parts')
  parts(): void {}
}

@Controller('things')
class AgainController {
  @Get(':name')
  read(): void {}
}

async function start(...controllers: (new () => object)[]): Promise<void> {
  const module = await Test.createTestingModule({ controllers, providers: [HiddenRoutes] }).compile();
  const app = module.createNestApplication({ logger: false });
  try {
    await app.init();
  } finally {
    await app.close();
  }
}

describe('an application', () => {
  it('starts when each route is reached', async () => {
    await expect(start(FixedController, ThingsController, OtherController)).resolves.toBeUndefined();
  });

  it('does not start when a route with a parameter takes the requests of a later one', async () => {
    await expect(start(ThingsController, FixedController)).rejects.toThrow(
      'GET /things/newest comes after GET /things/:id. Change the order of the imports.',
    );
  });

  it('does not start with two routes of one method and path', async () => {
    await expect(start(ThingsController, AgainController)).rejects.toThrow(
      'GET /things/:name comes after GET /things/:id',
    );
  });
});
