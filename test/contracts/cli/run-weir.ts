import { main } from '../../../apps/cli/src/main.js';

export type WeirAnswer = { code: number; out: string; err: string; lines: any[] };

/** The command line in this process, against a server: what it wrote and its exit code. */
export async function runWeir(server: { url: string; key: string }, ...argv: string[]): Promise<WeirAnswer> {
  const before = { url: process.env['WEIR_URL'], key: process.env['WEIR_API_KEY'], code: process.exitCode };
  process.env['WEIR_URL'] = server.url;
  process.env['WEIR_API_KEY'] = server.key;
  process.exitCode = undefined;
  const written = { out: '', err: '' };
  const restore = [
    capture(process.stdout, (text) => (written.out += text)),
    capture(process.stderr, (text) => (written.err += text)),
  ];
  try {
    await main(argv);
    const isJson = argv.includes('--json');
    const lines = isJson
      ? written.out
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => JSON.parse(line))
      : [];
    return { code: Number(process.exitCode ?? 0), ...written, lines };
  } finally {
    restore.forEach((undo) => undo());
    process.exitCode = before.code;
    setOrDelete('WEIR_URL', before.url);
    setOrDelete('WEIR_API_KEY', before.key);
  }
}

function capture(stream: NodeJS.WriteStream, take: (text: string) => void): () => void {
  const write = stream.write.bind(stream);
  stream.write = (text: string | Uint8Array) => {
    take(String(text));
    return true;
  };
  return () => {
    stream.write = write;
  };
}

function setOrDelete(name: string, value: string | undefined): void {
  if (value === undefined) delete process.env[name];
  else process.env[name] = value;
}
