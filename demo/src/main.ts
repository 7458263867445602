import './styles/colours.css';
import './styles/page.css';
import './styles/controls.css';
import './styles/welcome.css';
import './styles/query.css';
import './styles/result.css';
import './styles/storage.css';
import './styles/timeseries.css';
import { Demo } from './demo';
import { keepForOffline } from './offline';
import { openStore } from './open-store';

await new Demo(await openStore()).start();
// After the first answer, which the download of all files would delay.
await keepForOffline();
