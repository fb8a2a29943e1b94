import './base.css';
import './approval.css';
import './agents.css';
import './context.css';
import './rich.css';
import './code.css';
import './prompts.css';
import './cells.css';
