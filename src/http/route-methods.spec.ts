import { Controller, Delete, Get, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { NoHead } from './no-head.js';
import { RouteMethods } from './route-methods.js';

@Controller('things')
class ThingsController {
  @Get()
  list() {}

  @Post()
  create() {}

  @Get(':id')
  read() {}

  @Delete(':id')
  remove() {}

  @NoHead()
  @Get('next')
  take() {}

  @Get(':id/parts/:part')
  part() {}
}

@Controller()
class RootController {
  @Get()
  root() {}
}

@Module({ controllers: [ThingsController, RootController] })
class ThingsModule {}

let routes: RouteMethods;

beforeAll(async () => {
  routes = RouteMethods.of(await NestFactory.create<NestExpressApplication>(ThingsModule, { logger: false }));
});

describe('The methods of a path', () => {
  it.each<[string, string[]]>([
    ['/', ['GET', 'HEAD']],
    ['/things', ['GET', 'HEAD', 'POST']],
    ['/things/', ['GET', 'HEAD', 'POST']],
    ['/Things', ['GET', 'HEAD', 'POST']],
    ['/things/7', ['GET', 'HEAD', 'DELETE']],
    ['/things/next', ['GET']],
    ['/things/NEXT/', ['GET']],
    ['/things/7/parts/%ff', ['GET', 'HEAD']],
    ['/docs', ['GET', 'HEAD']],
    ['/openapi.json', ['GET', 'HEAD']],
  ])('are those of all its routes: %s', (path, methods) => {
    expect([...routes.at(path)!]).toEqual(methods);
  });

  it.each(['/thing', '/things/7/parts', '/things//parts/1', '//things', '/things//', '/things/7/parts/1/2'])(
    'are none where nothing is: %s',
    (path) => {
      expect(routes.at(path)).toBeUndefined();
    },
  );
});
