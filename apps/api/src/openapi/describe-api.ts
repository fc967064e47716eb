import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import { ApiModule } from '../api.module.js';
import { createOpenApiDocument } from './openapi-document.js';

/** The document without an API: nothing is instantiated and no server is spoken to. */
export async function describeApi(version: string): Promise<OpenAPIObject> {
  const app = await NestFactory.create<NestFastifyApplication>(ApiModule.forDescription(), new FastifyAdapter(), {
    preview: true,
    logger: false,
    abortOnError: false,
  });
  try {
    return createOpenApiDocument(app, version);
  } finally {
    await app.close();
  }
}
