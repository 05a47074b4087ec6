internal import Settee
