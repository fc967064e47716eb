// For the health checks of containers: exit code 0 when one of the ports on this machine answers /health/ready with
// 200. Several ports, because one image runs all processes and each listens on its own.
const ports = process.argv.slice(2);

async function isReady(port) {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/health/ready`, { signal: AbortSignal.timeout(4000) });
    if (!answer.ok) process.stderr.write(`${port}: ${answer.status} ${await answer.text()}\n`);
    return answer.ok;
  } catch (error) {
    process.stderr.write(`${port}: ${error.cause?.code ?? error.message}\n`);
    return false;
  }
}

const ready = await Promise.all(ports.map(isReady));
process.exitCode = ready.includes(true) ? 0 : 1;
