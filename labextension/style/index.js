import './base.css';
import './approval.css';
