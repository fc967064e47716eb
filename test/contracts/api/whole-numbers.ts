type WholeNumber = { path: string[]; schema: { minimum: number; maximum: number } };

/** Where a schema lets a whole number stand, through objects. */
export function wholeNumbers(schemas: Record<string, any>, schema: any, path: string[] = []): WholeNumber[] {
  if (schema === undefined) return [];
  if (typeof schema.$ref === 'string') return wholeNumbers(schemas, schemas[schema.$ref.split('/').at(-1)], path);
  if (schema.type === 'integer') return [{ path, schema }];
  const choices: any[] = schema.anyOf ?? schema.oneOf ?? [];
  return [
    ...choices.flatMap((choice) => wholeNumbers(schemas, choice, path)),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, member]) =>
      wholeNumbers(schemas, member, [...path, name]),
    ),
  ];
}

/** `body` with one member set, and the objects around it made where they are missing. */
export function withValue(body: any, [name, ...rest]: string[], value: number): any {
  if (name === undefined) return value;
  return { ...body, [name]: withValue(body?.[name], rest, value) };
}
