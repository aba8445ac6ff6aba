"""What composition makes possible: private algorithms built from simple releases, each with its proof and its error.

The names are loaded when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from partita.front import front

if TYPE_CHECKING:
    from partita.algorithms.axes import Axes as Axes
    from partita.algorithms.axes import axes_of as axes_of
    from partita.algorithms.belief import update_bound as update_bound
    from partita.algorithms.comparison import FourSteps as FourSteps
    from partita.algorithms.comparison import compare_linear as compare_linear
    from partita.algorithms.comparison import four_steps as four_steps
    from partita.algorithms.conversation import Conversation as Conversation
    from partita.algorithms.conversation import Reply as Reply
    from partita.algorithms.estimators.kmeans import KMeans as KMeans
    from partita.algorithms.estimators.linear_regression import LinearRegression as LinearRegression
    from partita.algorithms.estimators.logistic_regression import LogisticRegression as LogisticRegression
    from partita.algorithms.estimators.pca import PCA as PCA
    from partita.algorithms.frequent import HeavyHitters as HeavyHitters
    from partita.algorithms.frequent import heavy_hitters as heavy_hitters
    from partita.algorithms.histograms import JointAndSeparate as JointAndSeparate
    from partita.algorithms.histograms import joint_and_separate as joint_and_separate
    from partita.algorithms.largest import TopK as TopK
    from partita.algorithms.largest import top_k as top_k
    from partita.algorithms.linear import Estimate as Estimate
    from partita.algorithms.linear import LinearQueries as LinearQueries
    from partita.algorithms.marginals import Marginals as Marginals
    from partita.algorithms.marginals import MarginalTables as MarginalTables
    from partita.algorithms.multiplicative_weights import OnlineMultiplicativeWeights as OnlineMultiplicativeWeights
    from partita.algorithms.mwem import MWEM as MWEM
    from partita.algorithms.mwem import mwem_bound as mwem_bound
    from partita.algorithms.quantile import Quantiles as Quantiles
    from partita.algorithms.quantile import quantiles as quantiles
    from partita.algorithms.strategy import Strategy as Strategy
    from partita.algorithms.stream import ContinualCounter as ContinualCounter
    from partita.algorithms.stream import RunningCounts as RunningCounts
    from partita.algorithms.stream import Stream as Stream
    from partita.algorithms.survey import Shares as Shares
    from partita.algorithms.survey import Survey as Survey
    from partita.algorithms.synthesis import AdaptiveMarginals as AdaptiveMarginals
    from partita.algorithms.synthetic import Synthetic as Synthetic
    from partita.algorithms.workload import Workload as Workload

# Where each public name lives.
_HOMES = {
    "AdaptiveMarginals": "partita.algorithms.synthesis",
    "Axes": "partita.algorithms.axes",
    "ContinualCounter": "partita.algorithms.stream",
    "Conversation": "partita.algorithms.conversation",
    "Estimate": "partita.algorithms.linear",
    "FourSteps": "partita.algorithms.comparison",
    "HeavyHitters": "partita.algorithms.frequent",
    "JointAndSeparate": "partita.algorithms.histograms",
    "KMeans": "partita.algorithms.estimators.kmeans",
    "LinearQueries": "partita.algorithms.linear",
    "LinearRegression": "partita.algorithms.estimators.linear_regression",
    "LogisticRegression": "partita.algorithms.estimators.logistic_regression",
    "MWEM": "partita.algorithms.mwem",
    "MarginalTables": "partita.algorithms.marginals",
    "Marginals": "partita.algorithms.marginals",
    "OnlineMultiplicativeWeights": "partita.algorithms.multiplicative_weights",
    "PCA": "partita.algorithms.estimators.pca",
    "Quantiles": "partita.algorithms.quantile",
    "Reply": "partita.algorithms.conversation",
    "RunningCounts": "partita.algorithms.stream",
    "Shares": "partita.algorithms.survey",
    "Strategy": "partita.algorithms.strategy",
    "Stream": "partita.algorithms.stream",
    "Survey": "partita.algorithms.survey",
    "Synthetic": "partita.algorithms.synthetic",
    "TopK": "partita.algorithms.largest",
    "Workload": "partita.algorithms.workload",
    "axes_of": "partita.algorithms.axes",
    "compare_linear": "partita.algorithms.comparison",
    "four_steps": "partita.algorithms.comparison",
    "heavy_hitters": "partita.algorithms.frequent",
    "joint_and_separate": "partita.algorithms.histograms",
    "mwem_bound": "partita.algorithms.mwem",
    "quantiles": "partita.algorithms.quantile",
    "top_k": "partita.algorithms.largest",
    "update_bound": "partita.algorithms.belief",
}

__all__ = [
    "AdaptiveMarginals",
    "Axes",
    "ContinualCounter",
    "Conversation",
    "Estimate",
    "FourSteps",
    "HeavyHitters",
    "JointAndSeparate",
    "KMeans",
    "LinearQueries",
    "LinearRegression",
    "LogisticRegression",
    "MWEM",
    "MarginalTables",
    "Marginals",
    "OnlineMultiplicativeWeights",
    "PCA",
    "Quantiles",
    "Reply",
    "RunningCounts",
    "Shares",
    "Strategy",
    "Stream",
    "Survey",
    "Synthetic",
    "TopK",
    "Workload",
    "axes_of",
    "compare_linear",
    "four_steps",
    "heavy_hitters",
    "joint_and_separate",
    "mwem_bound",
    "quantiles",
    "top_k",
    "update_bound",
]


__getattr__, __dir__ = front(__name__, _HOMES)
