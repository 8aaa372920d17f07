// Runs a program for wasm32-wasip1 in Node: node .ci/wasi.mjs PROGRAM.wasm [ARGUMENT…]
// The current folder is the program's `.`, and a folder for temporary files is its `/tmp`.
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { env, argv, cwd } from "node:process";
import { WASI } from "node:wasi";

const [program, ...rest] = argv.slice(2);
const wasi = new WASI({
  version: "preview1",
  args: [program, ...rest],
  env: { ...env, TMPDIR: "/tmp" },
  preopens: { ".": cwd(), [cwd()]: cwd(), "/tmp": tmpdir() },
  returnOnExit: true,
});
const module = await WebAssembly.compile(await readFile(program));
const instance = await WebAssembly.instantiate(module, wasi.getImportObject());
process.exitCode = wasi.start(instance);
