import './no-locks.js';
import '../../dist/worker.js';
