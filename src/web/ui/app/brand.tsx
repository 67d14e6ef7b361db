import { Link } from 'react-router';
import classes from './brand.module.css';
import { pathHere } from '../components/page-meta.js';

export function Brand() {
  return (
    <Link to="/" className={classes.brand}>
      <img src={pathHere('/icon.svg')} alt="" width={24} height={24} />
      Agent control plane
    </Link>
  );
}
