// The order matters: the trap must strike before the worker can answer.
import './trap.js';
import '../../dist/worker.js';
